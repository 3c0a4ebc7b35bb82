import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/preact';
import { LocationProvider } from 'preact-iso';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../api/client.ts';
import { confirm, ConfirmHost } from './confirm.tsx';
import { Field, Form, textOf } from './form.tsx';
import { type Column, Table } from './table.tsx';
import { duration, relativeTime } from './time.tsx';

afterEach(cleanup);

test('a form keeps what was typed and says beside the field why it was refused', async () => {
  const sent: string[] = [];
  const refuse = async (data: FormData) => {
    sent.push(textOf(data, 'name'));
    throw new ApiError(400, 'bad_request', 'One field is wrong.', [
      { path: 'name', message: 'Another key has this name.' },
    ]);
  };
  render(
    <Form submit="Create" onSubmit={refuse}>
      <Field name="name" label="Name">
        <input required />
      </Field>
    </Form>,
  );
  const name = screen.getByLabelText<HTMLInputElement>('Name');
  fireEvent.input(name, { target: { value: ' docs ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create' }));
  await screen.findByText('Another key has this name.');
  expect(name.value).toBe(' docs ');
  expect(name.getAttribute('aria-invalid')).toBe('true');
  await waitFor(() => expect(document.activeElement).toBe(name));
  expect(sent).toEqual(['docs']);
});

test('what the service refuses for another reason stands above the button', async () => {
  render(
    <Form
      submit="Sign in"
      onSubmit={() =>
        Promise.reject(new ApiError(401, 'unauthorized', 'The email or the password is wrong.'))
      }
    />,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect((await screen.findByRole('alert')).textContent).toBe(
    'The email or the password is wrong.',
  );
});

test('an action that deletes much runs once the name is typed', async () => {
  let runs = 0;
  render(<ConfirmHost />);
  confirm({
    title: 'Delete everything?',
    consequences: 'All conversations go.',
    action: 'Delete',
    typeName: 'kestrel',
    run: async () => void (runs += 1),
  });
  const field = await screen.findByRole('textbox');
  fireEvent.input(field, { target: { value: 'osprey' } });
  fireEvent.click(screen.getByText('Delete'));
  await screen.findByText('Type kestrel.');
  expect(runs).toBe(0);
  fireEvent.input(field, { target: { value: 'kestrel' } });
  fireEvent.click(screen.getByText('Delete'));
  await waitFor(() => expect(screen.queryByText('Delete everything?')).toBeNull());
  expect(runs).toBe(1);
});

interface Key {
  id: string;
  used?: number;
}

const columns: Column<Key>[] = [
  { title: 'Name', cell: ({ id }) => id, sortBy: ({ id }) => id },
  {
    title: 'Used',
    cell: ({ used }) => used ?? 'Never',
    sortBy: ({ used }) => used,
    isNumber: true,
  },
];

test('a table sorts, with missing values last, and says what to do without rows', () => {
  const table = (rows: Key[]) => (
    <LocationProvider>
      <Table
        label="Keys"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty="Create a key."
      />
    </LocationProvider>
  );
  const { rerender } = render(table([{ id: 'b', used: 5 }, { id: 'c' }, { id: 'a', used: 20 }]));
  const names = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.firstChild?.textContent);
  expect(names()).toEqual(['b', 'c', 'a']);
  fireEvent.click(screen.getByText('Used'));
  expect(names()).toEqual(['a', 'b', 'c']);
  fireEvent.click(screen.getByText('Used'));
  expect(names()).toEqual(['b', 'a', 'c']);
  fireEvent.click(screen.getByText('Name'));
  expect(names()).toEqual(['a', 'b', 'c']);
  rerender(table([]));
  expect(screen.getByText('Create a key.')).toBeTruthy();
});

test('times near now are relative, others are dates', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  expect(relativeTime(now - 5 * 60_000, now)).toMatch(/5 min/);
  expect(relativeTime(now + 3 * 86_400_000, now)).toMatch(/in 3 days/);
  expect(relativeTime(now - 40 * 86_400_000, now)).toMatch(/2026/);
  expect(duration(820)).toMatch(/^820/);
  expect(duration(80_000)).toMatch(/^1 min 20/);
});
