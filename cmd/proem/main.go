// Command proem shows and runs agents; see package cli.
package main

import "github.com/proemhq/proem/cli"

func main() { cli.Main(cli.App{}) }
