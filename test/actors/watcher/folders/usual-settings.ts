// What a watch folder is asked to do when nothing but its path is said.

export const usualSettings = {
  cache_dir: null,
  enabled: true,
  enable_visual_analysis: true,
  enable_audio_analysis: false,
  enable_face_analysis: false,
  audio_language: 'english',
  cluster_job_name: null,
  face_eps: 0.48,
  face_min_samples: 5,
  excluded_extensions: [],
  excluded_filename_globs: [],
  excluded_folder_globs: [],
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
  preferred_x_model_key: 'auto',
  metadata_filter_request: null,
};
