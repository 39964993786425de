/* Runs TGSI programs with Mesa's tgsi_exec.c. Reads a line "PROGRAM", the program's text up to "END", a line "INPUTS
 * n", and n lines of hexadecimal words, four for each input register. Prints the four words of OUT[0] for each line of
 * inputs.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipe/p_state.h"
#include "tgsi/tgsi_exec.h"
#include "tgsi/tgsi_text.h"
#include "util/format/u_format.h"

/* The interpreter refers to these functions, but no program calls them. */
bool tgsi_sanity_check(const struct tgsi_token *tokens) { return tokens != NULL; }
void _debug_vprintf(const char *format, va_list arguments) { vfprintf(stderr, format, arguments); }
bool debug_parse_bool_option(const char *text, bool fallback) { return text != NULL ? fallback : fallback; }
const char *debug_get_option_cached(const char *name, const char *fallback) {
  return name != NULL ? fallback : fallback;
}
uint16_t _mesa_float_to_half_slow(float value) {
  abort();
  return (uint16_t)value;
}
float _mesa_half_to_float_slow(uint16_t value) {
  abort();
  return value;
}
const struct util_format_description *util_format_description(enum pipe_format format) {
  abort();
  return (void *)(size_t)format;
}
double _mesa_strtod(const char *text, char **end) { return strtod(text, end); }
float _mesa_strtof(const char *text, char **end) { return strtof(text, end); }

static bool run(struct tgsi_exec_machine *machine, const char *text, int count) {
  static struct tgsi_token tokens[4096];
  if (!tgsi_text_translate(text, tokens, 4096)) {
    fprintf(stderr, "cannot read\n%s", text);
    return false;
  }
  tgsi_exec_machine_bind_shader(machine, tokens, NULL, NULL, NULL);
  machine->NonHelperMask = 1;
  for (int i = 0; i < count; ++i) {
    for (int slot = 0; slot < 4; ++slot) {
      for (int c = 0; c < 4; ++c) {
        unsigned word;
        if (scanf("%x", &word) != 1) return false;
        machine->Inputs[slot].xyzw[c].u[0] = word;
      }
    }
    tgsi_exec_machine_run(machine, 0);
    for (int c = 0; c < 4; ++c) printf("%s%08x", c ? " " : "", machine->Outputs[0].xyzw[c].u[0]);
    printf("\n");
  }
  return true;
}

int main(void) {
  struct tgsi_exec_machine *machine = tgsi_exec_machine_create(PIPE_SHADER_VERTEX);
  static char line[4096], text[65536];
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strncmp(line, "PROGRAM", 7) != 0) continue;
    text[0] = 0;
    int count = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
      if (sscanf(line, "INPUTS %d", &count) == 1) break;
      if (strlen(text) + strlen(line) >= sizeof text) return 1;
      strcat(text, line);
    }
    if (!run(machine, text, count)) return 1;
  }
  return 0;
}
