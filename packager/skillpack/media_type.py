"""The media type of a file by its name, from a table of our own.

The standard library's guess reads files of the machine (`/etc/mime.types`, the registry), so the same skill
would pack differently on two machines.
"""

from __future__ import annotations

TEXT = "text/plain"
BINARY = "application/octet-stream"

_TYPES = {
    "text/plain": "txt text log gitignore gitattributes gitkeep editorconfig",
    "text/markdown": "md markdown mdx",
    "text/x-rst": "rst",
    "text/html": "html htm xhtml",
    "text/css": "css",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/calendar": "ics",
    "text/javascript": "js mjs cjs",
    "text/x-typescript": "ts tsx mts cts",
    "text/jsx": "jsx",
    "text/x-python": "py pyi",
    "text/x-shellscript": "sh bash zsh",
    "text/x-ruby": "rb",
    "text/x-perl": "pl pm",
    "text/x-php": "php",
    "text/x-lua": "lua",
    "text/x-go": "go",
    "text/x-rust": "rs",
    "text/x-c": "c h",
    "text/x-c++": "cc cpp cxx hh hpp",
    "text/x-csharp": "cs",
    "text/x-java": "java",
    "text/x-kotlin": "kt kts",
    "text/x-swift": "swift",
    "text/x-powershell": "ps1 psm1",
    "text/x-tex": "tex",
    "text/x-diff": "diff patch",
    "text/vtt": "vtt",
    "application/json": "json jsonc json5 ipynb webmanifest",
    "application/jsonl": "jsonl ndjson",
    "application/yaml": "yaml yml",
    "application/toml": "toml",
    "application/xml": "xml xsd xsl xslt",
    "application/sql": "sql",
    "application/graphql": "graphql gql",
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "application/zip": "zip whl",
    "application/gzip": "gz tgz",
    "application/x-bzip2": "bz2",
    "application/x-xz": "xz",
    "application/zstd": "zst",
    "application/x-7z-compressed": "7z",
    "application/x-tar": "tar",
    "application/wasm": "wasm",
    "application/epub+zip": "epub",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.apache.parquet": "parquet",
    "application/vnd.sqlite3": "sqlite sqlite3 db",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/tiff": "tif tiff",
    "image/svg+xml": "svg",
    "image/vnd.microsoft.icon": "ico",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg oga",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/quicktime": "mov",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "font/woff": "woff",
    "font/woff2": "woff2",
}
_BY_EXTENSION = {extension: media for media, extensions in _TYPES.items() for extension in extensions.split()}


def media_type(path: str, *, is_text: bool) -> str:
    """Return the media type of a file by the last extension of its POSIX path, in lower case.

    An unknown extension gives `text/plain` for text and `application/octet-stream` for other bytes; so does a
    known text type on bytes that are no text.
    """
    name = path.rpartition("/")[2].lower()
    known = _BY_EXTENSION.get(name.rpartition(".")[2]) if "." in name else None
    if known is None or (known.startswith("text/") and not is_text):
        return TEXT if is_text else BINARY
    return known
