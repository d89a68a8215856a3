# Embeds the device text: every file of cl/ becomes a row (name, text) of fsc__embedded_files, see
# src/kernel/source.h. Run as a script (-P) it writes that C file.
if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB files ${CL_DIR}/*.cl ${CL_DIR}/*.h ${CL_DIR}/*.def)
    list(SORT files)
    set(arrays "")
    set(rows "")
    set(index 0)
    foreach(file IN LISTS files)
        get_filename_component(base ${file} NAME)
        file(READ ${file} hex HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
        string(APPEND arrays "static const char file_${index}[] = {${bytes}0};\n")
        string(APPEND rows "    {\"${base}\", file_${index}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    file(WRITE ${OUTPUT}.tmp
        "/* Generated from cl/ by cmake/embed.cmake. */\n#include \"kernel/source.h\"\n\n"
        "${arrays}\nconst fsc__embedded_file fsc__embedded_files[] = {\n${rows}    {0, 0},\n};\n")
    file(RENAME ${OUTPUT}.tmp ${OUTPUT})
    return()
endif()

function(fusescope_embed output folder)
    file(GLOB inputs CONFIGURE_DEPENDS ${folder}/*.cl ${folder}/*.h ${folder}/*.def)
    set(file ${CMAKE_BINARY_DIR}/embedded_cl.c)
    add_custom_command(OUTPUT ${file}
        COMMAND ${CMAKE_COMMAND} -DCL_DIR=${folder} -DOUTPUT=${file}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
    set(${output} ${file} PARENT_SCOPE)
endfunction()
