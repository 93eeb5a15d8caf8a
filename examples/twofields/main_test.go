package main

func Example() {
	main()
	// Output:
	// {"model":"deepseek-chat","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"You serve tea."},{"role":"system","content":"Answer in one sentence."},{"role":"user","content":"Which tea is mild?"}]} []
	// {"model":"qwen3","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"You serve tea.\n\nAnswer in one sentence."},{"role":"user","content":"Which tea is mild?"}]} [info wire.merged: system text and instructions share one message: this model is not known to accept two system messages]
}
