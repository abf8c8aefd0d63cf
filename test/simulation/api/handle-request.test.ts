import { expect } from 'chai'
import Koa from 'koa'
import { type Handle, type HttpRequest, handleRequest } from './handle-request.ts'

describe('a request that is handled without a connection', () => {
  it('has the method, path, headers, body and address of its client', async () => {
    const { status, headers, body } = await handleRequest(createEcho(), REQUEST)
    expect(status).to.equal(201)
    expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(JSON.parse(body)).to.deep.equal({
      ...{ method: 'POST', path: '/v1/charges', key: 'k', sent: '{"amount":1}', address: '192.0.2.7' },
    })
  })

  it('receives a response of 1,000,000 characters completely', async () => {
    const app = new Koa().use((ctx) => {
      ctx.body = 'x'.repeat(1_000_000)
    })
    expect((await handleRequest(app.callback(), REQUEST)).body).to.have.length(1_000_000)
  })

  it('fails if the handler cuts off its response', async () => {
    const cut: Handle = async (_, response) => void response.destroy()
    const failure = await handleRequest(cut, REQUEST).catch((error: Error) => error.message)
    expect(failure).to.equal('the response was cut off')
  })
})

const REQUEST: HttpRequest = {
  ...{ method: 'POST', path: '/v1/charges', headers: { 'idempotency-key': 'k' }, body: '{"amount":1}' },
}

function createEcho(): Handle {
  const app = new Koa().use(async (ctx) => {
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
    const [sent, key] = [Buffer.concat(chunks).toString(), ctx.get('Idempotency-Key')]
    ctx.status = 201
    ctx.body = { method: ctx.method, path: ctx.path, key, sent, address: ctx.req.socket.remoteAddress }
  })
  return app.callback()
}
