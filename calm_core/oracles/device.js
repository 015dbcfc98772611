/*
CALM on a person's own device: the randomizers of calm_core/oracles, to the last bit.
One file, no dependency, every browser since 2013. It draws from crypto.getRandomValues alone, also on plain http.

    var report = CALM.report(view, [1, 0]);       the answers, as numbers from 0, in the order of view.attributes
    CALM.grr(oracle, cell)  CALM.oue(oracle, cell)  CALM.subset(oracle, cell)  CALM.olh(oracle, cell)
    CALM.parity(oracle, cell)

`view` and `oracle` come from `calm-lab client plan.json --out FOLDER` (device.json); thresholds are 64 bits as 16
hexadecimal digits, computed exactly. Draw a report once, keep it, and send the same bytes on every retry: a second
report from the same answers costs a second epsilon. vectors.json beside this file holds draws with their reports.
`word` is for tests alone: a function that returns one of the numbers 0 .. 2^32 - 1.
*/
var CALM = (function () {
  "use strict";
  var ALL = 4294967296, HALF = "8000000000000000";

  function secureWord() {
    return crypto.getRandomValues(new Uint32Array(1))[0];
  }

  function high(hex) { return parseInt(hex.slice(0, 8), 16); }
  function low(hex) { return parseInt(hex.slice(8), 16); }

  /* True with probability exactly threshold / 2^64. */
  function chance(threshold, word) {
    var a = word(), b = word();
    return a < high(threshold) || (a === high(threshold) && b < low(threshold));
  }

  /* Exactly uniform on 0 .. n - 1. */
  function below(n, word) {
    var limit = ALL - ALL % n, x = word();
    while (x >= limit) x = word();
    return x % n;
  }

  /* The row-major cell of some answers. */
  function cellOf(sizes, answers) {
    var cell = 0, i;
    if (answers.length !== sizes.length) throw new Error("there must be one answer to each question");
    for (i = 0; i < sizes.length; i++) {
      if (typeof answers[i] !== "number" || !(answers[i] >= 0 && answers[i] < sizes[i]) || answers[i] % 1) {
        throw new Error("answer " + (i + 1) + " must be a whole number from 0 to " + (sizes[i] - 1));
      }
      cell = cell * sizes[i] + answers[i];
    }
    return cell;
  }

  /* Generalized randomized response: the cell with probability keep / 2^64, else any other one alike. */
  function grr(oracle, cell, word) {
    word = word || secureWord;
    if (oracle.size === 1) return 0;
    var keep = chance(oracle.keep, word), other = below(oracle.size - 1, word);
    if (other >= cell) other++;
    return keep ? cell : other;
  }
  /* ---- the other oracles ---- */

  function zeros(n) {
    var bits = [];
    while (bits.length < n) bits.push(0);
    return bits;
  }

  /* Optimized unary encoding: a bit for each cell; "0110". */
  function oue(oracle, cell, word) {
    word = word || secureWord;
    if (oracle.size === 1) return "1";
    var bits = zeros(oracle.size), i;
    for (i = 0; i < oracle.size; i++) bits[i] = chance(oracle.stray, word) ? 1 : 0;
    bits[cell] = chance(HALF, word) ? 1 : 0;
    return bits.join("");
  }

  /* Subset selection: `width` of the cells, the own one among them with probability hold / 2^64; "0110". */
  function subset(oracle, cell, word) {
    word = word || secureWord;
    if (oracle.size === 1) return "1";
    var bits = zeros(oracle.size), hold = chance(oracle.hold, word);
    var first = oracle.size - 1 - oracle.width, j, pick, last;
    bits[cell] = hold ? 1 : 0;
    /* Floyd's way to a uniform subset of the others; who holds the own cell takes one fewer. */
    for (j = first; j < oracle.size - 1; j++) {
      pick = below(j + 1, word);
      if (pick >= cell) pick++;
      last = j >= cell ? j + 1 : j;
      if (bits[pick]) pick = last;
      if (j > first || !hold) bits[pick] = 1;
    }
    return bits.join("");
  }

  /* 64 bits as four limbs of 16, the lowest first: every product fits into a number exactly. */
  function limbs(hex) {
    return [low(hex) & 65535, low(hex) >>> 16, high(hex) & 65535, high(hex) >>> 16];
  }
  function carried(sums) {
    var out = [], carry = 0, i, sum;
    for (i = 0; i < 4; i++) {
      sum = sums[i] + carry;
      out.push(sum % 65536);
      carry = Math.floor(sum / 65536);
    }
    return out;
  }
  function plus(a, b) {
    return carried([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]);
  }
  function times(a, b) {
    var sums = [0, 0, 0, 0], i, j;
    for (i = 0; i < 4; i++) for (j = 0; i + j < 4; j++) sums[i + j] += a[i] * b[j];
    return carried(sums);
  }
  function number(n) {
    return [n % 65536, Math.floor(n / 65536) % 65536, Math.floor(n / ALL) % 65536, 0];
  }
  function below64(a, b) {
    for (var i = 3; i > 0 && a[i] === b[i];) i--;
    return a[i] < b[i];
  }
  /* a ^ (a >>> by) */
  function folded(a, by) {
    var skip = Math.floor(by / 16), rest = by % 16, out = [], i, whole;
    for (i = 0; i < 4; i++) {
      whole = (a[i + skip] || 0) + (a[i + skip + 1] || 0) * 65536;
      out.push(a[i] ^ (Math.floor(whole / Math.pow(2, rest)) % 65536));
    }
    return out;
  }
  var STEP = limbs("9e3779b97f4a7c15"), MIX = [limbs("bf58476d1ce4e5b9"), limbs("94d049bb133111eb")];

  /* The bucket of a cell under the function that a seed stands for: an output of splitmix64, cut into equal parts. */
  function bucketOf(oracle, seed, cell) {
    var mixed = plus(limbs(seed), times(number(cell + 1), STEP)), width = limbs(oracle.bucket_words);
    mixed = folded(times(folded(times(folded(mixed, 30), MIX[0]), 27), MIX[1]), 31);
    var part = (mixed[3] * 65536 + mixed[2] + mixed[1] / 65536) / ALL;
    var bucket = Math.min(Math.floor(part * oracle.buckets), oracle.buckets - 1);
    /* The estimate is at most one off. */
    if (below64(mixed, times(number(bucket), width))) bucket--;
    else if (bucket + 1 < oracle.buckets && !below64(mixed, times(number(bucket + 1), width))) bucket++;
    return bucket;
  }

  /* Parities: whether the answers of some questions add up to an odd number, a bit each; the bits go by grr. */
  function parity(oracle, cell, word) {
    var told = 0, i, left;
    for (i = 0; i < oracle.parities.length; i++) {
      told *= 2;
      for (left = cell & oracle.parities[i]; left; left = left >>> 1) told ^= left & 1;
    }
    return grr({ size: Math.pow(2, oracle.parities.length), keep: oracle.keep }, told, word);
  }

  function hex32(x) { return ("0000000" + x.toString(16)).slice(-8); }

  /* Optimized local hashing: a random function, and randomized response over its buckets. */
  function olh(oracle, cell, word) {
    word = word || secureWord;
    var a = word(), seed = hex32(a) + hex32(word()), bucket = bucketOf(oracle, seed, cell);
    if (oracle.size > 1) {
      bucket = grr({ size: oracle.buckets, keep: oracle.keep }, bucket, word);
    }
    return { report: bucket, seed: seed };
  }

  var oracles = { grr: grr, oue: oue, subset: subset, olh: olh, parity: parity };

  /* What goes to the collector: one line of a file for `calm-lab aggregate`. */
  function report(plan, number, answers, word) {
    word = word || secureWord;
    var view = plan.views[number], oracle = view.oracle, cell = cellOf(view.sizes, answers);
    var sent = oracles[oracle.name](oracle, cell, word);
    var row = { plan: plan.plan, id: "", view: number, report: sent };
    if (oracle.name === "olh") { row.report = sent.report; row.seed = sent.seed; }
    for (var i = 0; i < 4; i++) row.id += hex32(word());
    return row;
  }

  /* One of the views, each as likely as the plan says; chosen before anything is asked. */
  function viewFor(plan, word) {
    word = word || secureWord;
    for (var i = 0; i < plan.views.length - 1; i++) if (chance(plan.views[i].share, word)) return i;
    return plan.views.length - 1;
  }

  var all = { cellOf: cellOf, below: below, word: secureWord, bucketOf: bucketOf, report: report, viewFor: viewFor };
  for (var name in oracles) all[name] = oracles[name];
  return all;
})();
