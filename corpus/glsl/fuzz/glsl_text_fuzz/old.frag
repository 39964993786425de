#version 110
uniform sampler2D t; varying vec2 v;
#ifdef HIGH
precision highp float;
#endif
void main() { gl_FragColor = texture2D(t, v) * shadow2D(s, vec3(1)).r + ftransform(); }
