// GLB in three.js, in a browser: `browser.mjs RUN NODE_FOLDER CHROMIUM PICTURES`.
//
// The cloth is drawn white on black at three times. A silhouette is computed from the positions in
// the OBJ files by a rasteriser of a few lines that shares nothing with three.js but the camera's
// numbers; pictures and silhouettes must cover each other.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const [run, node, chromium, pictures] = process.argv.slice(2);
const require = createRequire(path.join(node, 'here.js'));
const playwright = require('playwright-core');
const validator = require('gltf-validator');

const NAME = 'tablecloth';
const RATE = 60;
const SIZE = 512;
const CAMERA = { eye: [1.1, 1.35, 1.6], target: [0, 0.65, 0], fov: 40 };

const check = (program, what, good, found) =>
  console.log(['check', 'GLB', program, what, good ? 'ok' : 'FAIL', found].join('\t'));

// Vertices and triangles of one frame.
function obj(frame) {
  const file = path.join(run, `${NAME}_${String(frame).padStart(4, '0')}.obj`);
  const lines = fs.readFileSync(file, 'utf8').split('\n').map((line) => line.split(' '));
  const of = (kind) => lines.filter((words) => words[0] === kind);
  return {
    vertices: of('v').map((words) => words.slice(1).map(Number)),
    faces: of('f').map((words) => words.slice(1).map((corner) => parseInt(corner) - 1)),
  };
}

const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));

// Which pixels the triangles cover: those whose middle lies in one.
function silhouette({ vertices, faces }) {
  const forward = unit(minus(CAMERA.target, CAMERA.eye));
  const right = unit(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const focal = SIZE / 2 / Math.tan((CAMERA.fov * Math.PI) / 360);
  const points = vertices.map((vertex) => {
    const p = minus(vertex, CAMERA.eye);
    const scale = focal / dot(p, forward);
    return [SIZE / 2 + scale * dot(p, right), SIZE / 2 - scale * dot(p, up)];
  });
  const mask = new Uint8Array(SIZE * SIZE);
  for (const face of faces) {
    const corners = face.map((v) => points[v]);
    const bound = (axis, pick) => pick(...corners.map((c) => c[axis]));
    const [x0, x1] = [Math.floor(bound(0, Math.min)), Math.ceil(bound(0, Math.max))];
    const [y0, y1] = [Math.floor(bound(1, Math.min)), Math.ceil(bound(1, Math.max))];
    for (let y = Math.max(y0, 0); y < Math.min(y1, SIZE); y++) {
      for (let x = Math.max(x0, 0); x < Math.min(x1, SIZE); x++) {
        const sides = corners.map((a, i) => {
          const b = corners[(i + 1) % 3];
          return (b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0]);
        });
        if (sides.every((s) => s >= 0) || sides.every((s) => s <= 0)) mask[y * SIZE + x] = 1;
      }
    }
  }
  return mask;
}

const PAGE = `<!doctype html><style>body { margin: 0; background: black } canvas { display: block }</style>
<script type="importmap">{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
  import * as THREE from 'three';
  import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
  const { eye, target, fov } = ${JSON.stringify(CAMERA)};
  const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
  renderer.setSize(${SIZE}, ${SIZE});
  document.body.append(renderer.domElement);
  const camera = new THREE.PerspectiveCamera(fov, 1, 0.1, 10);
  camera.position.set(...eye);
  camera.lookAt(...target);
  const gltf = await new GLTFLoader().loadAsync('/cloth.glb');
  const scene = new THREE.Scene();
  scene.add(gltf.scene);
  const meshes = [];
  gltf.scene.traverse((thing) => { if (thing.isMesh) meshes.push(thing); });
  for (const mesh of meshes) {
    mesh.material = new THREE.MeshBasicMaterial({ color: 'white', side: THREE.DoubleSide });
    mesh.frustumCulled = false;
  }
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  // Draws the cloth at a time; returns the positions three.js has then.
  window.show = (time) => {
    mixer.setTime(time);
    renderer.render(scene, camera);
    const v = new THREE.Vector3();
    return meshes.flatMap((mesh) => Array.from({ length: mesh.geometry.attributes.position.count },
      (_, i) => mesh.localToWorld(mesh.getVertexPosition(i, v)).toArray()));
  };
  // Which pixels of a picture are white.
  window.white = async (png) => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    return Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] > 127 ? 1 : 0));
  };
  window.duration = gltf.animations[0].duration;
  window.ready = true;
</script>`;

function serve() {
  const glb = path.join(run, `${NAME}.glb`);
  const three = path.join(node, 'node_modules');
  const server = http.createServer((request, response) => {
    const url = request.url.split('?')[0];
    if (url === '/') return response.setHeader('content-type', 'text/html').end(PAGE);
    const file = url === '/cloth.glb' ? glb : path.join(three, path.normalize(url));
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    const kind = file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
    response.setHeader('content-type', kind).end(fs.readFileSync(file));
  });
  return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server)));
}

async function draw(page) {
  const frames = fs.readdirSync(run).filter((name) => /_\d+\.obj$/.test(name)).length;
  const last = frames - 1;
  const duration = await page.evaluate(() => window.duration);
  check('three.js', 'length of the animation', Math.abs(duration - last / RATE) < 1e-6, `${duration} s`);
  for (const frame of [0, Math.floor(last / 2), last]) {
    const mesh = obj(frame);
    const found = await page.evaluate((time) => window.show(time), frame / RATE);
    const error = Math.max(...found.map((p, i) => Math.max(...minus(p, mesh.vertices[i]).map(Math.abs))));
    const counted = found.length === mesh.vertices.length;
    check('three.js', `positions of frame ${frame}`, counted && error < 1e-5, `largest difference ${error.toPrecision(3)}`);
    const png = await page.screenshot({ path: path.join(pictures, `frame-${frame}.png`) });
    const white = await page.evaluate((data) => window.white(data), png.toString('base64'));
    const mask = silhouette(mesh);
    let [both, either] = [0, 0];
    for (let i = 0; i < mask.length; i++) {
      both += white[i] & mask[i];
      either += white[i] | mask[i];
    }
    const share = both / either;
    const seen = both > 0.02 * SIZE * SIZE;
    check('three.js', `silhouette of frame ${frame}`, seen && share > 0.99, `overlap ${share.toFixed(4)} of ${either} pixels`);
  }
}

const bytes = new Uint8Array(fs.readFileSync(path.join(run, `${NAME}.glb`)));
const { issues } = await validator.validateBytes(bytes);
check('glTF validator', 'errors and warnings', issues.numErrors + issues.numWarnings === 0,
  `${issues.numErrors} and ${issues.numWarnings}`);
const server = await serve();
const browser = await playwright.chromium.launch({
  executablePath: chromium,
  // Drawn by the processor: no graphics card is needed.
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE }, deviceScaleFactor: 1 });
  page.on('pageerror', (error) => console.error(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.ready, null, { timeout: 120_000 });
  await draw(page);
} finally {
  await browser.close();
  server.close();
}
