"""The total of an invoice."""


def total(prices: list[float], discount: float) -> float:
    return sum(prices) * (1 - discount)
