#include "a"
#pragma once
# include <bc>
