// Seconds of the grid as they stand in prompts and answers: 01:05, or 1:01:05 from an hour on.

export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = `${two(minutes)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
