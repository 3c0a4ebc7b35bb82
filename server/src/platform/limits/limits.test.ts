import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './limits.ts';

const connection = (closed = false) => Object.assign(new EventEmitter(), { closed });

test('a subject has so many connections and no more, until one of them closes', () => {
  const enter = createConcurrencyLimit(2, 'Too many.');
  const first = connection();
  enter('a', first);
  enter('a', connection());
  const another = () => enter('a', connection());
  expect(another).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'Too many.', retryAfter: 15 }),
  );
  enter('b', connection());
  first.emit('close');
  expect(another).not.toThrow();
  expect(another).toThrow('Too many.');
});

test('a connection that is closed already is not counted', () => {
  const enter = createConcurrencyLimit(1, 'Too many.');
  enter('a', connection(true));
  expect(() => enter('a', connection())).not.toThrow();
});
