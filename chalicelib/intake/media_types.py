"""Names and signatures of the media types that are recognised, taken or not."""

_OFFICE = "application/vnd.openxmlformats-officedocument."

SOURCE_SUFFIXES = frozenset(
    ".py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .go .rs .c .h .cc .cpp .hpp .cs .fs .rb .php .pl .pm .lua "
    ".r .jl .swift .m .mm .sh .bash .zsh .fish .ps1 .sql .css .scss .sass .less .vue .svelte .tf .hcl .proto .graphql "
    ".dart .ex .exs .erl .hs .clj .groovy .gradle .cmake .mk .diff .patch .tex .bib".split()
)
PROGRAM_SUFFIXES = frozenset(".exe .dll .so .dylib .com .scr .msi .apk .ipa .jar .class .pyc .wasm .lnk .sys".split())

MEDIA_TYPE_BY_SUFFIX = {
    **dict.fromkeys(SOURCE_SUFFIXES, "text/x-source"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), "text/markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".adoc", ".org"), "text/plain"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".ipynb", ".geojson"), "application/json"),
    **dict.fromkeys((".yaml", ".yml"), "application/yaml"),
    **dict.fromkeys((".xml", ".xsd", ".xsl", ".rss", ".atom", ".svg"), "application/xml"),
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".eml": "message/rfc822",
    ".msg": "application/vnd.ms-outlook",
    ".pdf": "application/pdf",
    ".docx": _OFFICE + "wordprocessingml.document",
    ".docm": "application/vnd.ms-word.document.macroenabled.12",
    ".xlsx": _OFFICE + "spreadsheetml.sheet",
    ".pptx": _OFFICE + "presentationml.presentation",
    ".xls": "application/vnd.ms-excel",
    ".doc": "application/msword",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".rtf": "application/rtf",
}

SIGNATURES = (
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftyp", "video/mp4"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
