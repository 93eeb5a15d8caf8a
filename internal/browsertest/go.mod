// Tests that need a browser. They are no part of the product.
module github.com/proemhq/proem/internal/browsertest

go 1.26

require github.com/proemhq/proem v0.0.0

replace github.com/proemhq/proem => ../..
