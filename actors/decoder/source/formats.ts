// The allowlist of containers. Playlists and image sequences are not in it: a media file must never make the program open
// other files or URLs.

/** FFmpeg's short names, in the form of its `format_whitelist` option. */
export const containers = [
  'mov,mp4,m4a,3gp,3g2,mj2',
  'matroska,webm',
  'mpegts,mpegtsraw,mpeg,mpegvideo,m4v,h264,hevc,vvc,av1,obu,ivf,mjpeg,mjpeg_2000,vc1,vc1test,dnxhd,dirac,cavsvideo',
  'mxf,gxf,lxf,avi,flv,live_flv,asf,asf_o,ogg,rm,nut,dv,wtv,rawvideo,yuv4mpegpipe,r3d,bink,smk,fli,nuv,ty,pva,film_cpk',
  'swf,roq,dxa,4xm,vmd,ea,idcin,psxstr,wc3movie,wsvqa,c93,nsv,mv,mtv,cdxl,avs,avs2,avs3,xmv,mpc,mpc8,gif,apng,webp_pipe',
  'wav,w64,aiff,au,caf,mp3,aac,ac3,eac3,ac4,dts,dtshd,truehd,mlp,flac,ape,tak,tta,wv,ogg,amr,amrnb,amrwb,oma,voc,dsf,iff',
  'loas,latm,gsm,ast,adx,aptx,aptx_hd,sbc,qcp,shn,sox,spdif,w64,wsd,xwma,bit,g722,g726,g729,ircam,sds,sdsx,svag,vag',
  'bmp_pipe,dds_pipe,dpx_pipe,exr_pipe,hdr_pipe,j2k_pipe,jpeg_pipe,jpegls_pipe,jpegxl_pipe,jpegxl_anim,pam_pipe,pbm_pipe',
  'pcx_pipe,pfm_pipe,pgm_pipe,pgmyuv_pipe,phm_pipe,pictor_pipe,png_pipe,ppm_pipe,psd_pipe,qdraw_pipe,qoi_pipe,sgi_pipe',
  'sunrast_pipe,svg_pipe,tiff_pipe,vbn_pipe,xbm_pipe,xpm_pipe,xwd_pipe',
].join(',');

/** True for containers that hold exactly one still. */
export function isStillContainer(name: string): boolean {
  return name.endsWith('_pipe') || name === 'image2';
}
