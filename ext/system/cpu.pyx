"""What the processor can do."""

cdef extern from *:
    """
    #if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    static int has_v3(void) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    }
    static int has_v4(void) {
        return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512cd");
    }
    #else
    static int has_v3(void) { return 0; }
    static int has_v4(void) { return 0; }
    #endif
    """
    bint has_v3()
    bint has_v4()


def levels():
    """The x86-64 feature levels that extensions are built for and this processor runs, widest first."""
    found = ["base"]
    if has_v3():
        found.insert(0, "v3")
    if has_v4():
        found.insert(0, "v4")
    return found
