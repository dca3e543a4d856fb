# The probes of `tensim silicon` that are compiled: data movement kernels against the API of cores/guest/metal, with the
# firmware of program files and the compiler options of users' kernels (platform/run/plan/compile.c).
# guest_probe(name core noc source [definitions...]); squad.h starts NAME.CORE.
guest_probe(boot brisc 0 ${GUEST_SDK}/program/boot.cpp)
guest_probe(nocbench brisc 0 nocbench.cpp)
