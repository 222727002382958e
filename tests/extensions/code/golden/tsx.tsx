import React, { useState } from 'react';

type Props = { label: string; onPress?: (count: number) => void };

/** A button that counts how often it was pressed. */
export const CountingButton: React.FC<Props> = ({ label, onPress }) => {
	const [count, setCount] = useState(0);
	return <button onClick={() => { setCount(count + 1); onPress?.(count + 1); }}>{label}: {count}</button>;
};

export default function Panel(props: { title: string; children: React.ReactNode }) {
	return <section aria-label={props.title}><h2>{props.title}</h2>{props.children}</section>;
}
