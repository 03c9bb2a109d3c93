// The time that scene, plots and numbers show, and its playing.

/** The speeds one can choose. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** Events: "time" when the time changes, "state" when playing, speed, loop or the range do. */
export class Clock extends EventTarget {
  constructor() {
    super();
    this.time = 0;
    this.begin = 0;
    this.end = 1;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.last = 0;
    this.frame = 0;
  }

  /** @param {number} begin @param {number} end */
  setRange(begin, end) {
    this.begin = begin;
    this.end = Math.max(begin, end);
    this.tell("state");
    this.seek(this.time);
  }

  /** @param {number} time */
  seek(time) {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    this.tell("time");
  }

  play() {
    if (this.playing) return;
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.advance(now));
    this.tell("state");
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell("state");
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.tell("state");
  }

  /** To the next faster or slower speed. @param {1 | -1} way */
  changeSpeed(way) {
    const next = SPEEDS.indexOf(this.speed) + way;
    if (SPEEDS[next] !== undefined) this.setSpeed(SPEEDS[next]);
  }

  toggleLoop() {
    this.loop = !this.loop;
    this.tell("state");
  }

  /** @param {number} now */
  advance(now) {
    // slow drawing leaves frames out and keeps the time; a page that was hidden goes on where it was instead of leaping
    const passed = Math.min(now - this.last, 1000) / 1000;
    this.last = now;
    const next = this.time + passed * this.speed;
    if (next < this.end) this.seek(next);
    else if (this.loop && this.end > this.begin) this.seek(this.begin + ((next - this.begin) % (this.end - this.begin)));
    else {
      this.seek(this.end);
      this.pause();
      return;
    }
    if (this.playing) this.frame = requestAnimationFrame((then) => this.advance(then));
  }

  /** @param {string} what */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }
}
