// Command gen writes the embedded tables of package token: the vocabularies, laid
// out from the published rank files, and the classes of characters. It is a module
// of its own, so that the rank files are no dependency of proem.
//
//	cd token && go generate
//
// The same input gives the same bytes. A rank file that is not the published one,
// by its SHA-256, is refused.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"github.com/proemhq/proem/token/internal/vocab"
)

// A source is a published rank file: a token in base64 and its rank on each line.
type source struct {
	file, sum, out string
}

var sources = []source{
	{
		file: "o200k_base.tiktoken", out: "o200k.bin",
		sum: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
	},
	{
		file: "cl100k_base.tiktoken", out: "cl100k.bin",
		sum: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
	},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gen FOLDER")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal("gen: ", err)
	}
}

func run(folder string) error {
	for _, s := range sources {
		data, err := s.build()
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		if err := write(folder, s.out, data); err != nil {
			return err
		}
	}
	return write(folder, "classes.bin", vocab.BuildClasses(class))
}

func write(folder, name string, data []byte) error {
	fmt.Printf("%s: %d bytes\n", name, len(data))
	return os.WriteFile(filepath.Join(folder, name), data, 0o644)
}

func (s source) build() ([]byte, error) {
	text, err := assets.Assets.ReadFile(s.file)
	if err != nil {
		return nil, err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != s.sum {
		return nil, fmt.Errorf("SHA-256 is %s, not %s", sum, s.sum)
	}
	var tokens []string
	for line := range bytes.Lines(text) {
		word, rank, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if !ok {
			return nil, fmt.Errorf("line %d: no rank", len(tokens)+1)
		}
		token, err := base64.StdEncoding.DecodeString(string(word))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(tokens)+1, err)
		}
		// The ranks count the lines, so that a rank is an id and an index.
		if n, err := strconv.Atoi(string(rank)); err != nil || n != len(tokens) {
			return nil, fmt.Errorf("line %d: rank %q", len(tokens)+1, rank)
		}
		tokens = append(tokens, string(token))
	}
	return vocab.Build(tokens)
}
