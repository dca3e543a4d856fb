// The C face of cmath.
#pragma once
#include <cmath>
