from __future__ import annotations

import tracemalloc
from binascii import a2b_base64
from typing import TYPE_CHECKING

import pytest

from skillpack.emit.literal import CATALOG, GrammarError, encoding, parse, render

if TYPE_CHECKING:
    from skillpack.emit.literal import Encoding

NAME = "_" + "0" * 64


def pieces(data: bytes, form: Encoding = "b") -> list[str]:
    """The lines between the parentheses, without their indent."""
    head, *lines, end, rest = render(NAME, data, form).decode("ascii").split("\n")
    assert head == f"{NAME}: {'str' if form == 's' else 'bytes'} = ("
    assert (end, rest) == (")", "")
    assert all(line.startswith("    ") for line in lines)
    return [line[4:] for line in lines]


def section(*lines: str, kind: str = "bytes") -> bytes:
    return "".join(f"{line}\n" for line in (f"{NAME}: {kind} = (", *lines, ")")).encode("latin-1")


class TestRendering:
    def test_nothing_is_one_empty_piece(self) -> None:
        assert pieces(b"") == ['b""']
        assert pieces(b"", "6") == ['b""']

    def test_escapes_are_those_of_unicode_escape_and_the_double_quote(self) -> None:
        assert pieces(b"a\\b\"c'd\t\r\n\0\x1f\x7f") == [r"""b"a\\b\"c'd\t\r\n\x00\x1f\x7f" """[:-1]]

    def test_text_beyond_ascii_is_a_str_literal_in_ascii(self) -> None:
        assert pieces("é Ω 中 😀 \x85\\".encode(), "s") == [r'"\xe9 \u03a9 \u4e2d \U0001f600 \x85\\"']

    def test_pieces_end_at_a_newline_and_hold_64_characters(self) -> None:
        line = b"x" * 40 + b"\n"
        assert pieces(line * 5) == [f'b"{"x" * 40}\\n{"x" * 40}\\n"'] * 2 + [f'b"{"x" * 40}\\n"']

    def test_a_long_line_stays_whole(self) -> None:
        assert pieces(b"y" * 9999 + b"\nz") == [f'b"{"y" * 9999}\\n"', 'b"z"']

    def test_empty_lines_do_not_become_a_piece_each(self) -> None:
        assert len(pieces(b"\n" * 6400)) == 100

    def test_base64_comes_in_pieces_of_4096_characters(self) -> None:
        found = pieces(bytes(range(256)) * 30, "6")
        assert [len(piece) - 3 for piece in found] == [4096, 4096, 2048]
        assert a2b_base64("".join(piece[2:-1] for piece in found)) == bytes(range(256)) * 30


class TestEncoding:
    @pytest.mark.parametrize("text", ["", "plain", '\x01\x7f\\"', "\n" * 9])
    def test_ascii_text_is_bytes(self, text: str) -> None:
        assert encoding(text.encode()) == "b"

    @pytest.mark.parametrize("text", ["é", "中", "😀", "\x80", "mostly plain, but one ê"])
    def test_other_text_is_str_which_is_never_longer(self, text: str) -> None:
        assert encoding(text.encode()) == "s"
        assert len(pieces(text.encode(), "s")[0]) < len(pieces(text.encode(), "b")[0])

    @pytest.mark.parametrize("data", [bytes(range(256)), b"\xff\0\1", b"\0" * 100])
    def test_bytes_that_take_many_escapes_are_base64(self, data: bytes) -> None:
        assert encoding(data) == "6"

    @pytest.mark.parametrize(
        "data", [b"caf\xe9, latin-1 text", b"one NUL\0 in text", b"a line\n" * 9 + b"\xff"]
    )
    def test_bytes_that_are_nearly_text_stay_readable(self, data: bytes) -> None:
        assert encoding(data) == "b"

    def test_the_shorter_of_literal_and_base64_wins_and_a_tie_is_the_literal(self) -> None:
        # n plain bytes and one escape: n + 4 characters against 4 for every 3 bytes
        for count in range(30):
            data = b"\xff" + b"x" * count
            as_literal, as_base64 = count + 4, -(-len(data) // 3) * 4
            assert encoding(data) == ("b" if as_literal <= as_base64 else "6")
            assert sum(len(piece) - 3 for piece in pieces(data, "b")) == as_literal
            assert sum(len(piece) - 3 for piece in pieces(data, "6")) == as_base64

    @pytest.mark.parametrize("count", range(1, 8))
    def test_every_byte_that_is_an_escape_counts_four(self, count: int) -> None:
        for more in range(60):
            data = b"\xff" * count + b"x" * more
            as_literal, as_base64 = 4 * count + more, -(-len(data) // 3) * 4
            assert encoding(data) == ("b" if as_literal <= as_base64 else "6")

    @pytest.mark.parametrize("code", range(256))
    def test_every_byte_counts_as_much_as_it_takes(self, code: int) -> None:
        for count in range(1, 40):
            data = b"\xff" + bytes([code]) * (count // 2) + b"x" * count
            sizes = [sum(len(piece) - 3 for piece in pieces(data, form)) for form in ("b", "6")]
            assert encoding(data) == ("b" if sizes[0] <= sizes[1] else "6")


class TestParsing:
    def test_literals_come_back_in_their_order(self) -> None:
        other = "_" + "1" * 64
        data = render(CATALOG, b"c\n") + render(other, "é".encode(), "s") + render(NAME, b"\xff", "6")
        assert list(parse(data).items()) == [(CATALOG, b"c\n"), (other, "é"), (NAME, b"/w==")]

    def test_nothing_is_no_literals(self) -> None:
        assert parse(b"") == {}

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            (b"\n", 1),
            (b"x = 1\n", 1),
            (b"[" + b"0," * 1000 + b"]", 1),
            (render(NAME, b"x") + b"\n", 4),
            (render(NAME, b"x") + b"import os\n", 4),
            (render(CATALOG, b"x").replace(b"_CATALOG", b"CATALOG"), 1),
            (render(NAME, b"x").replace(b"bytes", b"bytearray"), 1),
            (render(NAME, b"x").replace(b"(", b"( "), 1),
            (b"_" + b"A" * 64 + b': bytes = (\n    b""\n)\n', 1),
        ],
    )
    def test_only_its_own_heads_begin_a_literal(self, text: bytes, line: int) -> None:
        with pytest.raises(GrammarError, match="begins here") as caught:
            parse(text)
        assert caught.value.line == line

    def test_a_name_twice_is_refused(self) -> None:
        with pytest.raises(GrammarError, match="twice") as caught:
            parse(render(NAME, b"x") + render(NAME, b"x"))
        assert caught.value.line == 4

    def test_a_quote_that_is_escaped_closes_nothing(self) -> None:
        with pytest.raises(GrammarError, match="not an escape") as caught:
            parse(section('    b"one"', r'    b"two\"'))
        assert caught.value.line == 3

    def test_a_line_end_that_is_no_escape_is_counted(self) -> None:
        with pytest.raises(GrammarError, match="not an escape") as caught:
            parse(section('    b"', r'    b"\q"'))
        assert caught.value.line == 3

    def test_another_spelling_is_told_by_the_name_of_the_literal(self) -> None:
        with pytest.raises(GrammarError, match=f"the literal {NAME} is not written") as caught:
            parse(section('    b"a\tb"'))
        assert caught.value.line == 2

    @pytest.mark.parametrize("cut", [b'"\n)\n', b")\n", b"\n"])
    def test_an_unclosed_literal_is_refused(self, cut: bytes) -> None:
        with pytest.raises(GrammarError, match="not closed"):
            parse(render(NAME, b"x").removesuffix(cut))

    @pytest.mark.parametrize(
        "lines",
        [
            (),
            ('b""',),
            ("    b''",),
            ('    "x"',),
            ('    B"x"',),
            ('    b"',),
            ('    b"x" ',),
            ('    b"x"  # note',),
            ('    b"x"', '   b"y"'),
            ('    b"x"', "", '    b"y"'),
            ('    b"x"y"',),
            ('    b"x" + b"y"',),
            ('    f"x"',),
        ],
    )
    def test_a_piece_is_four_blanks_and_a_double_quoted_literal(self, lines: tuple[str, ...]) -> None:
        with pytest.raises(GrammarError):
            parse(section(*lines))

    @pytest.mark.parametrize(
        "inside",
        [
            *(r"\q", r"\a", r"\'", r"\0", r"\101", r"\X41", r"\x4", r"\x", r"\xG0", r"\N{DIGIT ONE}", "\\"),
            *(r"\x41", r"\xAB", r"\x0a", r"\x22", "\t", "\x7f", "é", '"', r"\u00e9", r"\U000000e9"),
        ],
    )
    def test_only_the_one_spelling_of_each_byte_is_read(self, inside: str) -> None:
        with pytest.raises(GrammarError) as caught:
            parse(render(CATALOG, b"x") + section('    b"good"', f'    b"ab{inside}"'))
        assert caught.value.line in (5, 6)

    @pytest.mark.parametrize(
        "inside",
        [
            r"\u12",
            r"\u00e9",
            r"\U000000e9",
            r"\U0001F600",
            r"\U00110000",
            r"\UFFFFFFFF",
            r"\N{DIGIT ONE}",
            "é",
        ],
    )
    def test_only_the_one_spelling_of_each_character_is_read(self, inside: str) -> None:
        with pytest.raises(GrammarError):
            parse(section(f'    "{inside}"', kind="str"))

    @pytest.mark.parametrize(("first", "second"), [("\\", "n"), ("\\x4", "1"), ("\\x", "41"), ("\\", '"')])
    def test_a_cut_does_not_split_an_escape(self, first: str, second: str) -> None:
        with pytest.raises(GrammarError, match="escape") as caught:
            parse(section('    b"fine"', f'    b"{first}"', f'    b"{second}"'))
        assert caught.value.line == 3

    def test_backslashes_and_quotes_at_a_cut_are_read_as_they_are(self) -> None:
        assert parse(section(r'    b"\\"', r'    b"\""', r'    b"\\\""', '    b"x"')) == {NAME: b'\\"\\"x'}


class TestHostileSections:
    @pytest.mark.parametrize(
        "text",
        [
            b"[" + b"0," * 2_000_000 + b"]",
            b"(" * 4_000_000,
            f"{NAME}: bytes = (\n".encode() * 50_000,
            f'{NAME}: bytes = (\n    b"'.encode() + b"\\" * 4_000_001 + b'"\n)\n',
            section(*['    b""'] * 400_000, '    b"\\q"'),
            b"".join(b'_%064x: bytes = (\n    b""\n)\n' % number for number in range(10_000)) + b"x",
        ],
        ids=["list", "parentheses", "heads", "backslashes", "pieces", "literals"],
    )
    def test_megabytes_of_it_end_in_an_error_within_memory(self, text: bytes) -> None:
        tracemalloc.start()
        try:
            with pytest.raises(GrammarError):
                parse(text)
            assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
        finally:
            tracemalloc.stop()
