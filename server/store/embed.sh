#!/bin/sh
# embed.sh FILE...: prints C++ that holds the migrations as string literals, in the order of their numbers.
set -eu
echo '#include "server/store/schema.h"'
echo 'namespace rewrought::store {'
echo 'const std::vector<Migration> kMigrations = {'
printf '%s\n' "$@" | sort | while read -r file; do
  printf '{"%s", R"sql(' "$(basename "$file" .sql)"
  cat "$file"
  echo ')sql"},'
done
echo '};'
echo '}  // namespace rewrought::store'
