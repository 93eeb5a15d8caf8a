module github.com/proemhq/proem/token/internal/gen

go 1.26.0

require (
	github.com/pkoukk/tiktoken-go-loader v0.0.2
	github.com/proemhq/proem v0.0.0
)

replace github.com/proemhq/proem => ../../..
