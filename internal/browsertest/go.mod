// Tests that need a browser. They are no part of the product.
module github.com/proemhq/proem/internal/browsertest

go 1.26.0

require github.com/proemhq/proem v0.0.0

require github.com/google/jsonschema-go v0.4.3 // indirect

require (
	github.com/aymanbagabas/go-udiff v0.4.2 // indirect
	github.com/bmatcuk/doublestar/v4 v4.10.0 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/coder/websocket v1.8.15
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/text v0.31.0 // indirect
	mvdan.cc/sh/v3 v3.14.1 // indirect
)

replace github.com/proemhq/proem => ../..
