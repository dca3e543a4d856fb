# The probes of `tensim silicon` that are compiled: data movement kernels against the API of cores/guest/metal, with the
# firmware of program files and the compiler options of users' kernels (platform/run/plan/compile.c).
# guest_probe(name core noc source [definitions...]); squad.h starts NAME.CORE.
guest_probe(boot brisc 0 ${GUEST_SDK}/program/boot.cpp)
guest_probe(nocbench brisc 0 nocbench.cpp)
guest_probe(nocread brisc 0 nocread.cpp)
guest_probe(dram_read brisc 0 dramrate.cpp -DPROBE_READ=1)
guest_probe(dram_write brisc 0 dramrate.cpp -DPROBE_READ=0)
# Cores and NoCs as the vendor's runtime gives them: reads by NCRISC, writes by BRISC; between tiles on NoC 1 and NoC 0.
guest_probe(zone_read ncrisc 1 zones.cpp -DPROBE_READ=1 -DPROBE_BANK=0)
guest_probe(zone_write_same brisc 0 zones.cpp -DPROBE_READ=0 -DPROBE_BANK=0 -DPROBE_TO=1,3)
guest_probe(zone_write_diff brisc 0 zones.cpp -DPROBE_READ=0 -DPROBE_BANK=0 -DPROBE_TO=2,3)
guest_probe(bank_read ncrisc 0 zones.cpp -DPROBE_READ=1 -DPROBE_BANK=1)
guest_probe(bank_write brisc 0 zones.cpp -DPROBE_READ=0 -DPROBE_BANK=1)
foreach(noc 0 1)
    guest_probe(event_read${noc} ncrisc ${noc} events.cpp -DPROBE_READ=1)
    guest_probe(event_write${noc} brisc ${noc} events.cpp -DPROBE_READ=0)
endforeach()
# The probes that are assembler: one source for each table of rows.
file(GLOB PROBE_TABLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/config/silicon/*.def)
foreach(table ${PROBE_TABLES})
    get_filename_component(family ${table} NAME_WE)
    probe_rows(${family})
endforeach()
