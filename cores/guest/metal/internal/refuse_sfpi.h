// Vector code in SFPI: its types (vFloat, dst_reg) are part of the vendor's compiler.
#error \
    "this kernel needs SFPI (vFloat, dst_reg), which only the vendor's compiler has: call the *_tile functions, or write the vector code with internal/sfpu.h (cores/guest/metal/README.md)"
