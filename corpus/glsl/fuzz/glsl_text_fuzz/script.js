a='uniform vec4 c; void main() { gl_FragColor = c + 1.0; }';
b=`uniform vec4 c; void main() { gl_FragColor = c + ${x + `n${y}`}; }`; /* c */ d = /["/]/.test(e);