"""An HTTP proxy with a login, where the network of the machines is. Standard library only.

Whatever host a client asks for, it reaches the lab's mirror: there is no other internet. `python3 proxy.py ADDRESS PORT USER:PASSWORD LOG` serves until it is
ended, and writes a line `STATUS METHOD TARGET` per request."""
import base64, os, signal, socket, socketserver, subprocess, sys, tempfile, threading
from contextlib import contextmanager
from pathlib import Path

MIRROR = '10.10.0.1'
PORT = 13128
LOGIN = 'user1:password1'


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        method, target, _ = self.rfile.readline().decode('latin1').split(' ', 2)
        headers = iter(lambda: self.rfile.readline().decode('latin1').rstrip('\r\n'), '')
        lines = list(headers)
        given = next((line.split(' ')[-1] for line in lines if line.lower().startswith('proxy-authorization:')), '')
        if given != base64.b64encode(self.server.login.encode()).decode():
            return self.answer(407, method, target, 'Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="lab"\r\nContent-Length: 0\r\nConnection: close')
        if method == 'CONNECT':
            upstream = socket.create_connection((MIRROR, int(target.rsplit(':', 1)[1])), 20)
            self.answer(200, method, target, 'Connection established')
        else:
            upstream = socket.create_connection((MIRROR, 80), 20)
            path = '/' + target.split('/', 3)[3]
            kept = [line for line in lines if not line.lower().startswith(('proxy-', 'connection:'))]
            upstream.sendall('\r\n'.join([f'{method} {path} HTTP/1.1', *kept, 'Connection: close', '', '']).encode('latin1'))
            self.log(200, method, target)
        both = threading.Thread(target=self.pump, args=(self.connection, upstream), daemon=True)
        both.start()
        self.pump(upstream, self.connection)
        both.join(5)

    def answer(self, status, method, target, rest):
        self.log(status, method, target)
        self.wfile.write(f'HTTP/1.1 {status} {rest}\r\n\r\n'.encode())

    def log(self, status, method, target):
        with open(self.server.log, 'a') as log:
            log.write(f'{status} {method} {target}\n')

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def proxy(node_sh):
    """Serves while the block runs. @yields the URL with the login, and the file of the log"""
    log = Path(tempfile.mkdtemp(prefix='lab-proxy-')) / 'log'
    log.touch()
    command = [node_sh, 'net', sys.executable, __file__, MIRROR, str(PORT), LOGIN, str(log)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        yield f'http://{LOGIN}@{MIRROR}:{PORT}', log
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


if __name__ == '__main__':
    address, port, login, log = sys.argv[1:]
    with Server((address, int(port)), Handler) as server:
        server.login, server.log = login, log
        server.serve_forever()
