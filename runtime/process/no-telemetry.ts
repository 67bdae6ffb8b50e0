// Switches off the usage data of onnxruntime. To be imported first by every entry of a program.
//
// onnxruntime reads the variable from the environment of the process, when its first session is made. Only
// the main thread can set that one: a worker has a copy. Besides sending data, its telemetry writes files
// into the home folder and overflows the stack of a worker when the command line is long.
process.env['ORT_DISABLE_TELEMETRY'] = '1';
