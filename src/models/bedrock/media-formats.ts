// The formats of video and audio that Converse accepts, by media type.

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_VideoBlock.html */
export const videoFormats: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/webm": "webm",
  "video/x-flv": "flv",
  "video/mpeg": "mpeg",
  "video/x-ms-wmv": "wmv",
  "video/3gpp": "three_gp",
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_AudioBlock.html */
export const audioFormats: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/flac": "flac",
  "audio/x-flac": "flac",
  "audio/ogg": "ogg",
  "audio/opus": "opus",
  "audio/aac": "aac",
  "audio/x-aac": "x-aac",
  "audio/mp4": "mp4",
  "audio/m4a": "m4a",
  "audio/x-m4a": "m4a",
  "audio/webm": "webm",
  "audio/x-matroska": "mka",
  "audio/pcm": "pcm",
};
