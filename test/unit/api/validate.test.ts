import { Type } from '@sinclair/typebox'
import { expect } from 'chai'
import { compileBody, compileQuery } from '../../../api/http/middleware/validate.ts'
import { parseJson } from '../../../api/http/parse-json.ts'
import { strictObject, stringEnum } from '../../../api/http/schema.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('compileBody', () => {
  const schema = strictObject({
    name: Type.String({ minLength: 1, maxLength: 3 }),
    seconds: Type.Integer({ minimum: 60, maximum: 3600 }),
    list: Type.Optional(
      Type.Array(strictObject({ token: stringEnum(['A', 'B']) }), {
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
      }),
    ),
  })
  const validate = compileBody(schema, {
    name: ({ name }) => (name === 'no' ? { param: 'name', reason: 'is no' } : null),
    list: ({ seconds }) => (seconds === 61 ? { param: 'list', reason: 'is never with 61' } : null),
  })
  const problemOf = (text: string): { param: string | undefined; message: string } => {
    try {
      validate(parseJson(text))
    } catch (error) {
      if (error instanceof AppError) return { param: error.param, message: error.message }
      throw error
    }
    throw new Error(`${text} was accepted`)
  }

  it('returns a valid body', () => {
    expect(validate(parseJson('{"name":"abc","seconds":60}'))).to.deep.equal({ name: 'abc', seconds: 60 })
  })

  const cases: readonly (readonly [text: string, param: string | undefined, message: string])[] = [
    ['[]', undefined, 'the body must be a JSON object'],
    ['{}', 'name', 'name is required'],
    ['{"name":"a"}', 'seconds', 'seconds is required'],
    ['{"name":1,"seconds":60}', 'name', 'name is 1; it must be of type string'],
    ['{"name":"","seconds":60}', 'name', 'name has 0 characters; 1 to 3 are allowed'],
    ['{"name":"😀😀😀😀","seconds":60}', 'name', 'name has 4 characters; 1 to 3 are allowed'],
    ['{"name":"a","seconds":30}', 'seconds', 'seconds is 30, below the minimum 60'],
    ['{"name":"a","seconds":3601}', 'seconds', 'seconds is 3601, above the maximum 3600'],
    ['{"name":"a","seconds":60.5}', 'seconds', 'seconds is 60.5; it must be of type integer'],
    ['{"name":"a","seconds":60,"list":[]}', 'list', 'list has 0 entries; 1 to 2 are allowed'],
    [
      '{"name":"a","seconds":60,"list":[{"token":"C"}]}',
      'list[0].token',
      'list[0].token is "C"; it must be one of A, B',
    ],
    ['{"name":"a","seconds":60,"list":[{"token":"A"},{}]}', 'list[1].token', 'list[1].token is required'],
    [
      '{"name":"a","seconds":60,"list":[{"token":"A","x":1}]}',
      'list[0].x',
      'list[0].x is not a field of this request',
    ],
    [
      '{"name":"a","seconds":60,"list":[{"token":"A"},{"token":"A"}]}',
      'list[1]',
      'list[1] is the same as list[0]',
    ],
    ['{"name":"a","seconds":60,"other":1}', 'other', 'other is not a field of this request'],
    ['{"name":"no","seconds":60}', 'name', 'name is no'],
  ]
  for (const [text, param, message] of cases) {
    it(`reports "${message}"`, () => expect(problemOf(text)).to.deep.equal({ param, message }))
  }

  it('reports the first invalid field in the order of the schema, whichever rule the field breaks', () => {
    expect(problemOf('{"other":1,"list":1,"seconds":1,"name":"no"}').param).to.equal('name')
    expect(problemOf('{"other":1,"list":[],"seconds":61,"name":"a"}').param).to.equal('list')
    expect(problemOf('{"other":1,"seconds":1,"name":"a"}').param).to.equal('seconds')
  })
})

describe('compileQuery', () => {
  const validate = compileQuery(
    strictObject({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      status: Type.Optional(stringEnum(['a', 'b'])),
    }),
  )

  it('parses integers and text', () => {
    expect(validate('limit=20&status=a')).to.deep.equal({ limit: 20, status: 'a' })
    expect(validate('')).to.deep.equal({})
  })

  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['status=c', 'status'],
    ['status=a%00', 'status'],
    ['other=1', 'other'],
    ['__proto__=1', '__proto__'],
    ['toString=1', 'toString'],
  ] as const) {
    it(`rejects ${query}`, () => {
      expect(() => validate(query))
        .to.throw(AppError)
        .with.property('param', param)
    })
  }
})
