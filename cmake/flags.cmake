# Compiler flags, and the prediction's inner loops compiled once per instruction set.
#
# The claim of the project is that C predicts device bits, so contraction (gcc -std=gnu17 and clang
# fuse a*b+c by default) and every value-changing optimisation are off everywhere.
# -fno-trapping-math and -fno-math-errno change no value; they let selects and sqrt be vectorised.
add_library(fusescope_flags INTERFACE)
target_compile_options(fusescope_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wvla
    -ffp-contract=off -fno-fast-math -fno-trapping-math -fno-math-errno
    $<$<BOOL:${FUSESCOPE_WERROR}>:-Werror>)
if(FUSESCOPE_SANITIZE)
    target_compile_options(fusescope_flags INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(fusescope_flags INTERFACE -fsanitize=address,undefined)
endif()

# src/reference/predict_isa.c holds the inner loops of the prediction. It is compiled for each
# instruction set (chosen at run time: without hardware fma, libm's is 50 times slower) and for
# each fma quirk of src/numeric/caps.h (FSC_FMA_FLUSHES: rusticl's fma).
function(fusescope_isa_objects name)
    set(source ${CMAKE_SOURCE_DIR}/src/reference/predict_isa.c)
    if(NOT EXISTS ${source})
        return()
    endif()
    set(variants "generic")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND variants "avx2" "avx512")
    endif()
    set(flags_generic)
    set(flags_avx2 -mavx2 -mfma)
    set(flags_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma
        -mprefer-vector-width=512)
    foreach(variant IN LISTS variants)
        foreach(quirk exact flushes)
            set(object ${name}_${variant}_${quirk})
            add_library(${object} OBJECT ${source})
            target_include_directories(${object} PRIVATE ${CMAKE_SOURCE_DIR}/include
                ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/cl)
            target_compile_definitions(${object} PRIVATE _POSIX_C_SOURCE=200809L
                FSC_ISA=${variant}_${quirk} $<$<STREQUAL:${quirk},flushes>:FSC_FMA_FLUSHES>)
            target_compile_options(${object} PRIVATE ${flags_${variant}})
            target_link_libraries(${object} PRIVATE fusescope_flags)
            target_sources(${name} PRIVATE $<TARGET_OBJECTS:${object}>)
        endforeach()
    endforeach()
endfunction()
