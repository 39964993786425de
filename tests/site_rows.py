"""Reads rows of sites from a database, for tests. The database stores them in packed form
(store/sites/site_block.cc)."""


def numbers_of(rows):
    """Yields the numbers in a block of sites, which stores 7 bits per byte (store/sites/site_block.cc)."""
    value = shift = 0
    for byte in rows:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def sites(database):
    """Yields the rows of the shaders' sites, unpacked from their blocks."""
    shaders = dict(database.execute("SELECT sites_key, hex(digest) FROM shaders"))
    texts = dict(database.execute("SELECT id, text FROM strings"))
    for fragment, key, rows in database.execute("SELECT hex(digest), first_key, rows FROM site_blocks "
                                                "JOIN fragments ON fragments.id = fragment_id"):
        source, facts = iter(rows), 0
        while (tag := next(source, None)) is not None:
            numbers = numbers_of(source)
            key += next(numbers) if tag & 1 else 0
            flags = next(numbers) if tag & 2 else 0
            multi_use = next(numbers) if tag & 4 else 0
            facts = next(numbers) if tag & 8 else facts
            count, weight = (next(numbers), next(numbers)) if tag & 16 else (1, 1)
            lines, line = [], 0
            for _ in range(next(numbers) if tag >> 5 == 7 else tag >> 5):
                folded = next(numbers)
                line += (folded >> 1) ^ -(folded & 1)
                lines.append(str(line))
            if key in shaders:
                yield fragment, shaders[key], flags, multi_use, texts[facts], count, weight, " ".join(lines)
