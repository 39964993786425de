/* Declares the type of the first argument of conditions on variables. */
#include "nir_search.h"
typedef const nir_search_state search_state;
