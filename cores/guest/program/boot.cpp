// The kernel of a BRISC that only starts its core.
void kernel_main() {}
