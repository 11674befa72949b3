# SPDX-License-Identifier: Apache-2.0
# Puts the kernels into one text, for compilers that are given texts and no files, and writes it as a C array:
#   cmake -DKERNELS=.../kernels.h -DOUTPUT=.../kernels_text.h -P embed.cmake
# An include of kernels.h becomes the file.
get_filename_component(folder ${KERNELS} DIRECTORY)
file(READ ${KERNELS} text)
string(REGEX MATCHALL "#include \"[a-z_]+\\.h\"" includes "${text}")
foreach(include IN LISTS includes)
  string(REGEX REPLACE "#include \"(.*)\"" "\\1" name "${include}")
  file(READ ${folder}/${name} part)
  if(part MATCHES "#include \"")
    message(FATAL_ERROR "${name} includes a file: only kernels.h may")
  endif()
  string(REPLACE "${include}" "${part}" text "${text}")
endforeach()
string(LENGTH "${includes}" found)
if(found EQUAL 0)
  message(FATAL_ERROR "${KERNELS} includes nothing")
endif()
# As numbers: a literal may have no more than 4095 characters.
string(HEX "${text}" bytes)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made of the kernels by embed.cmake. */\nstatic const char kernels_text[] = {\n${bytes}0x00};\n")
