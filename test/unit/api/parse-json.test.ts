import { expect } from 'chai'
import { parseJson } from '../../../api/http/parse-json.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('parseJson', () => {
  it('parses the same values as JSON.parse', () => {
    const texts = [
      '{}',
      '[]',
      ' { "a" : [ 1 , -2.5e3 , true , false , null , "b" ] } ',
      '"\\u00e9 \\ud83d\\ude00 \\n \\/ \\\\"',
      '{"":{"b":{}},"c":[[],[{}]]}',
      '0',
      '-0',
      '1E+2',
      '"é😀"',
      '\t\r\n1',
    ]
    for (const text of texts) expect(parseJson(text).value, text).to.deep.equal(JSON.parse(text))
  })

  it('keeps the source text of members down to three levels', () => {
    const { value, sourceOf } = parseJson(
      '{"amount": 1.0e1 ,"metadata": {"b" :1,"a":[ 2.50 ]}, "list":[{"x":"y"}]}',
    )
    const body = value as { metadata: object; list: [object] }
    expect(sourceOf(body, 'amount')).to.equal('1.0e1')
    expect(sourceOf(body, 'metadata')).to.equal('{"b" :1,"a":[ 2.50 ]}')
    expect(sourceOf(body.metadata, 'a')).to.equal('[ 2.50 ]')
    expect(sourceOf(body.list[0], 'x')).to.equal('"y"')
    expect(sourceOf(body, 'missing')).to.equal(null)
    const deep = parseJson('{"a":{"b":{"c":{"d":1}}}}')
    const { a } = deep.value as { a: { b: { c: object } } }
    expect(deep.sourceOf(a.b, 'c'), 'three names deep').to.equal('{"d":1}')
    expect(
      deep.sourceOf(a.b.c, 'd'),
      'no source text below three levels, because no caller needs it',
    ).to.equal(null)
  })

  const refused: readonly (readonly [title: string, text: string, reason: string])[] = [
    ['an empty text', '', 'not valid JSON'],
    ['a trailing comma', '[1,]', 'not valid JSON'],
    ['a comment', '{/**/}', 'not valid JSON'],
    ['a bare word', '{a:1}', 'not valid JSON'],
    ['a leading zero', '[01]', 'not valid JSON'],
    ['a decimal point with no digit after it', '[1.]', 'not valid JSON'],
    ['NaN', '[NaN]', 'not valid JSON'],
    ['a missing colon', '{"a" 1}', 'not valid JSON'],
    ['an unclosed object', '{"a":1', 'not valid JSON'],
    ['an unterminated string', '"abc', 'not valid JSON'],
    ['a line break in a string', '"a\nb"', 'not valid JSON'],
    ['an invalid escape', '"\\x"', 'an invalid escape sequence'],
    ['a byte order mark', '\ufeff{}', 'not valid JSON'],
    ['two values', '{} {}', 'more text after its end'],
    ['a duplicate name', '{"a":1,"a":1}', 'a is given twice'],
    ['a duplicate name, escaped the second time', '{"a":1,"\\u0061":1}', 'a is given twice'],
    ['__proto__', '{"__proto__":{}}', '__proto__ is not'],
    ['an escaped __proto__ in a nested object', '{"m":{"\\u005f_proto__":1}}', 'm.__proto__ is not'],
    ['a NUL character', '{"a":"b\\u0000"}', 'NUL character'],
    ['a NUL character in a name', '{"b\\u0000":1}', 'NUL character'],
    ['half a surrogate pair', '"\\ud83d"', 'half a surrogate pair'],
    ['10,001 values', `[${Array(10_000).fill('[]').join()}]`, 'more than 10000 values'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'nested deeper than 32 levels'],
  ]
  for (const [title, text, reason] of refused) {
    it(`rejects ${title}`, () => {
      expect(() => parseJson(text))
        .to.throw(AppError, reason)
        .with.property('code', 'validation_error')
    })
  }

  it('reports the path of the invalid member', () => {
    const text = '{"a":{"b":[{"c":"1"},{"c":"2\\u0000"}]}}'
    expect(() => parseJson(text))
      .to.throw(AppError, 'a.b[1].c contains a NUL character, at character 35')
      .with.property('param', 'a.b[1].c')
  })

  it('accepts 10,000 values, more than 16 KiB of metadata can contain', () => {
    const text = `[${Array(9_999).fill('1').join()}]`
    expect(text.length).to.be.above(16 * 1024)
    expect(parseJson(text).value).to.deep.equal(JSON.parse(text))
  })

  it('accepts 32 levels, and a string of 100,000 escapes within the timeout of a test', () => {
    const deep = '['.repeat(32) + ']'.repeat(32)
    expect(parseJson(deep).value).to.deep.equal(JSON.parse(deep))
    const long = `"${'\\\\'.repeat(100_000)}"`
    expect(parseJson(long).value).to.equal(JSON.parse(long))
  })
})
