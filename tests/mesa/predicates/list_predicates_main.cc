// Prints the first five columns of docs/results/predicates.tsv for all predicates that Rewrought knows.
#include <iostream>

#include "tests/mesa/predicates/predicate_rows.h"

int main() {
  for (const rewrought::PredicateRow& row : rewrought::KnownPredicateRows())
    std::cout << rewrought::TextOf(row) << "\n";
}
