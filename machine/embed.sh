#!/bin/sh
# embed.sh FILE...: prints C++ that holds the descriptions as string literals, sorted by name.
set -eu
echo '#include "machine/embedded_descriptions.h"'
echo 'namespace rewrought::machine {'
echo 'const std::vector<EmbeddedDescription> kEmbeddedDescriptions = {'
printf '%s\n' "$@" | sort | while read -r file; do
  printf '{"machine/descriptions/%s", R"textproto(' "$(basename "$file")"
  cat "$file"
  echo ')textproto"},'
done
echo '};'
echo '}  // namespace rewrought::machine'
