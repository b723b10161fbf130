// Forwards every request to a server with a token, because the conformance suite sends none. Prints
// its address.
//
// Arguments: the address of the server, a token.

import http from 'node:http';

const [address, token] = process.argv.slice(2);

const proxy = http.createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
  const options = { method: incoming.method, headers, setHost: false };
  const request = http.request(new URL(incoming.url, address), options, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  request.on('error', () => outgoing.destroy());
  outgoing.on('close', () => request.destroy());
  incoming.pipe(request);
});
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}`));
