#!/bin/sh
# embed.sh NAMESPACE::FUNCTION INCLUDE HEADER SOURCE FILE...: writes HEADER (to be included as INCLUDE) and SOURCE,
# which define FUNCTION. It returns the files as a table of ir::EmbeddedFile, sorted by path. tools/embed.bzl runs this
# script.
set -eu
LC_ALL=C
export LC_ALL
namespace=${1%::*} function=${1##*::} include=$2 header=$3 source=$4
shift 4
guard=$(printf '%s_' "$include" | tr -c 'a-zA-Z0-9' '_' | tr 'a-z' 'A-Z')
cat >"$header" <<END
#ifndef $guard
#define $guard
#include "absl/types/span.h"
#include "ir/embedded_file.h"
namespace $namespace {
absl::Span<const ir::EmbeddedFile> $function();
}
#endif
END
{
  printf '#include "%s"\nnamespace %s {\n' "$include" "$namespace"
  printf 'absl::Span<const ir::EmbeddedFile> %s() {\nstatic const ir::EmbeddedFile files[] = {\n' "$function"
  printf '%s\n' "$@" | sort | while read -r file; do
    if grep -qF ')embedded"' "$file"; then
      echo "$file: contains )embedded\", which would end the generated literal" >&2
      exit 1
    fi
    printf '{"%s", R"embedded(' "$file"
    cat "$file"
    echo ')embedded"},'
  done
  printf '};\nreturn files;\n}\n}\n'
} >"$source"
