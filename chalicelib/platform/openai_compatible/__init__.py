"""Models behind the HTTP protocol of OpenAI, which many servers speak: vLLM, llama.cpp, Ollama, TEI and others."""
