/* The state that conditions on variables get. */
#include "nir_search.h"
typedef const nir_search_state search_state;
