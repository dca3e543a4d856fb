// A kernel that has nothing to do: what is left is dispatch.
void kernel_main() {}
