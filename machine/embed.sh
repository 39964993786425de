#!/bin/sh
# embed.sh FILE...: prints C++ that holds the descriptions (*.textproto) as string literals, sorted by name, each with how
# many known answers its *.txt has.
set -eu
echo '#include "machine/embedded_descriptions.h"'
echo 'namespace rewrought::machine {'
echo 'const std::vector<EmbeddedDescription> kEmbeddedDescriptions = {'
printf '%s\n' "$@" | grep '\.textproto$' | sort | while read -r file; do
  id=$(basename "$file" .textproto)
  answers=$(printf '%s\n' "$@" | grep "/$id\.txt$" || true)
  count=0
  [ -z "$answers" ] || count=$(grep -c '^\[' "$answers")
  printf '{"machine/descriptions/%s.textproto", %s, R"textproto(' "$id" "$count"
  cat "$file"
  echo ')textproto"},'
done
echo '};'
echo '}  // namespace rewrought::machine'
