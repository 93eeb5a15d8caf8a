package main

import (
	"os"
	"testing"
)

// TestMain makes sure that the scripted model answers.
func TestMain(m *testing.M) {
	os.Unsetenv("OPENAI_BASE_URL")
	os.Unsetenv("MODEL")
	m.Run()
}

func Example() {
	main()
	// Output:
	// {"model":"demo","stream":true,"stream_options":{"include_usage":true},"prompt_cache_key":"885a587d237298401c45c5053531866b","messages":[{"role":"system","content":"You serve tea."},{"role":"user","content":"How long does white tea draw?"}]}
	// Four minutes.
}
