module github.com/proemhq/proem

go 1.26
